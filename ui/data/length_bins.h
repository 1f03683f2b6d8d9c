// The lengths of a dataset's rows as a histogram whose bars end at the limit.
#pragma once

#include "plots/series.h"
#include "ui/data/row_facts.h"

namespace tidemark::ui {

// Rows without tokens are left out. A few very long rows do not squeeze the others: the last bin takes them in.
plots::LengthSeries lengthSeries(const std::vector<RowFacts>& rows, int64_t limit);

}  // namespace tidemark::ui
