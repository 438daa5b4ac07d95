// Cells of comma-separated values, as RFC 4180 and spreadsheets of all countries write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vidconv {

// How a file is written: one separator for all of its lines.
struct CsvDialect {
  char separator = ',';
  // Numbers have a decimal comma; never where commas separate cells.
  bool decimal_comma() const { return separator != ','; }
};

// By a file's first line: semicolons outside of quotes, or tabs, else commas.
CsvDialect csv_dialect(std::string_view line);

// The cells of a line, without quotes and without blanks around them. A cell in quotes may hold
// separators, and "" for a quote. None where a quote is not closed, or something follows it.
std::optional<std::vector<std::string>> csv_cells(std::string_view line, CsvDialect dialect);

// All of a cell: 1, -2.5, +3, 1e-3, and 2,5 where the dialect has it. None for anything else.
std::optional<double> csv_number(std::string_view cell, CsvDialect dialect);

}  // namespace vidconv
