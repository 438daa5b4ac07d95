// The results of a command of vidconv-bench: tables for people (Markdown), and the same as JSON.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vidconv::bench {

// A word, a number, or nothing (not measured here).
using Cell = std::variant<std::monostate, std::string, double>;
inline Cell cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

struct Table {
  std::string id;                    // in JSON: "A", "kernels"
  std::string title;                 // one line: what is measured, in which unit
  std::vector<std::string> columns;  // published figures are in columns that begin with "published"
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  // facts that a reader must know to judge the figures

  void add(std::vector<Cell> row) { rows.push_back(std::move(row)); }
};

struct Report {
  std::string command;               // typed_command()
  std::vector<std::string> machine;  // lines: processor, GPU, versions
  std::vector<Table> tables;
};

// Returns the command line of this process, without folders and without the files that it writes.
std::string typed_command();

// Returns the lines for Report::machine.
std::vector<std::string> describe_machine();

std::string to_markdown(const Report& report);
// Returns a data file for docs/measurements/data; docs/measurements/README.md describes it.
std::string to_json(const Report& report);

// Throws std::runtime_error where the file cannot be written.
void write_json(const Report& report, const std::string& path);

// Prints the Markdown on stdout, and writes the JSON to `json_path`: "-" means stdout, instead of
// the Markdown; empty means nowhere. Throws std::runtime_error where the file cannot be written.
void publish(const Report& report, const std::string& json_path);

}  // namespace vidconv::bench
