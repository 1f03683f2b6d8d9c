// Use core/base/sha256.h (class Sha256) directly; this file is removed as soon as nothing includes it.
#pragma once
#include "core/base/sha256.h"
