// Reads comma-separated values as RFC 4180 and spreadsheets of all countries write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vidconv {

// The dialect of a file: one separator for all of its lines.
struct CsvDialect {
  char separator = ',';
  // Returns whether numbers may have a decimal comma: never where commas separate cells.
  bool decimal_comma() const { return separator != ','; }
};

// Tells the dialect from a file's first line: semicolons outside of quotes, else tabs, else commas.
CsvDialect csv_dialect(std::string_view line);

// Returns the cells of a line without quotes and surrounding blanks. A quoted cell may hold
// separators, and "" for a quote. Empty if a quote is not closed or text follows it.
std::optional<std::vector<std::string>> csv_cells(std::string_view line, CsvDialect dialect);

// Parses a whole cell: 1, -2.5, +3, 1e-3, and 2,5 if the dialect allows it. Empty for other text.
std::optional<double> csv_number(std::string_view cell, CsvDialect dialect);

}  // namespace vidconv
