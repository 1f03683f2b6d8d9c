#!/usr/bin/env python3
"""Draws the small pictures of the workbench (arrows, ticks) and the program's icon as PNG files beside this script.

Needs nothing but Python: shapes are polygons, sampled 8 x 8 times per pixel. Run it again after changing a shape.
"""
import pathlib
import struct
import zlib

SAMPLES = 8
HERE = pathlib.Path(__file__).parent


def inside(polygon, x, y):
    hit = False
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1]):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            hit = not hit
    return hit


def draw(size, shapes):
    """shapes: (polygon in [0, 1]^2, (r, g, b)), later ones over earlier ones. Returns rows of RGBA."""
    rows = []
    for py in range(size):
        row = bytearray()
        for px in range(size):
            total = [0.0, 0.0, 0.0, 0.0]
            for sy in range(SAMPLES):
                for sx in range(SAMPLES):
                    x, y = (px + (sx + 0.5) / SAMPLES) / size, (py + (sy + 0.5) / SAMPLES) / size
                    for polygon, colour in reversed(shapes):
                        if inside(polygon, x, y):
                            for i in range(3):
                                total[i] += colour[i]
                            total[3] += 1
                            break
            covered = total[3]
            row += bytes(round(c / covered) if covered else 0 for c in total[:3])
            row.append(round(255 * covered / SAMPLES**2))
        rows.append(bytes(row))
    return rows


def write(name, size, shapes):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    raw = b"".join(b"\0" + row for row in draw(size, shapes))
    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")
    (HERE / name).write_bytes(png)


def stroke(points, width):
    """A thick line through the points, as one quadrilateral per piece."""
    pieces = []
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        ux, uy = (x2 - x1) / length * width / 2, (y2 - y1) / length * width / 2
        pieces.append([(x1 - ux + uy, y1 - uy - ux), (x2 + ux + uy, y2 + uy - ux),
                       (x2 + ux - uy, y2 + uy + ux), (x1 - ux - uy, y1 - uy + ux)])
    return pieces


ARROW = stroke([(0.2, 0.38), (0.5, 0.66), (0.8, 0.38)], 0.11)
TICK = stroke([(0.2, 0.54), (0.42, 0.76), (0.82, 0.28)], 0.13)
for theme, ink, paper in (("light", (95, 103, 118), (255, 255, 255)), ("dark", (163, 172, 186), (16, 19, 26))):
    for size, suffix in ((12, ""), (24, "@2x")):
        write(f"arrow-{theme}{suffix}.png", size, [(p, ink) for p in ARROW])
        write(f"tick-{theme}{suffix}.png", size, [(p, paper) for p in TICK])

# The icon: activations rise to the turn over the caches, under the line of the highest tide.
ICON = [
    ([(0.06, 0.94), (0.06, 0.70), (0.94, 0.70), (0.94, 0.94)], (0x5B, 0x7D, 0xB1)),
    ([(0.06, 0.70), (0.06, 0.52), (0.50, 0.64), (0.94, 0.52), (0.94, 0.70)], (0x2A, 0x9D, 0x8F)),
    ([(0.06, 0.52), (0.50, 0.18), (0.94, 0.52), (0.50, 0.64)], (0xE9, 0xA2, 0x3B)),
] + [([(x, 0.08), (x + 0.18, 0.08), (x + 0.18, 0.13), (x, 0.13)], (0x1C, 0x54, 0xD8)) for x in (0.06, 0.293, 0.527, 0.76)]
write("tidemark.png", 128, ICON)
