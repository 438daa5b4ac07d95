#include "pipeline/region/csv.h"

#include <algorithm>

#include "kernels/base/numbers.h"

namespace vidconv {
namespace {

constexpr double largest_cell = 1e15;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

CsvDialect csv_dialect(std::string_view line) {
  bool quoted = false, tab = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ';') return {';'};
    tab = tab || c == '\t';
  }
  return {tab ? '\t' : ','};
}

std::optional<std::vector<std::string>> csv_cells(std::string_view line, CsvDialect dialect) {
  std::vector<std::string> cells;
  for (std::size_t at = 0;; ++at) {
    while (at < line.size() && is_blank(line[at]) && line[at] != dialect.separator) ++at;
    std::string& cell = cells.emplace_back();
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) return std::nullopt;
        if (line[at] == '"' && (at + 1 >= line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        cell += line[at];
      }
      ++at;
    }
    const std::size_t end = std::min(line.find(dialect.separator, at), line.size());
    const std::string_view rest = trimmed(line.substr(at, end - at));
    if (!rest.empty() && (!cell.empty() || rest.find('"') != rest.npos)) return std::nullopt;
    cell += rest;
    if (end == line.size()) return cells;
    at = end;
  }
}

std::optional<double> csv_number(std::string_view cell, CsvDialect dialect) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const std::size_t comma = cell.find(',');
  if (comma == cell.npos || !dialect.decimal_comma())
    return number_of<double>(cell, -largest_cell, largest_cell);
  if (cell.find('.') != cell.npos || cell.find(',', comma + 1) != cell.npos) return std::nullopt;
  std::string text(cell);
  text[comma] = '.';
  return number_of<double>(text, -largest_cell, largest_cell);
}

}  // namespace vidconv
