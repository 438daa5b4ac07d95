// Filter specifications: "gaussian:sigma=2", "matrix:0 -1 0;-1 5 -1;0 -1 0:bias=0.5", "file:PATH".
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/filter.h"

namespace vidconv {

// What is wrong with a specification, and where.
class SpecError : public std::runtime_error {
public:
    // `column` counts from 1 in `text`, which is the specification, or a line of the file it names.
    SpecError(std::string text, std::size_t column, const std::string& message)
        : std::runtime_error(message), text_(std::move(text)), column_(column) {}
    const std::string& text() const { return text_; }
    std::size_t column() const { return column_; }

private:
    std::string text_;
    std::size_t column_;
};

struct Preset;  // presets.h

// A parsed and checked specification. Making the filter from it cannot fail.
class FilterSpec {
public:
    // Throws SpecError; reads the file of a "file:" specification.
    static FilterSpec parse(std::string_view text);

    const std::string& text() const { return text_; }  // as it was given
    std::string_view name() const;                     // "gaussian", "matrix", ...

    // The filter for a plane whose samples each stand for `subsampling` luma samples.
    Filter make(Subsampling subsampling = {}) const;

private:
    struct Modifiers {
        bool auto_scale = false;  // 1 / sum of the taps
        double scale = 1;
        double bias = 0;
        bool has_bias = false, has_absolute = false;
        bool absolute = false;
        bool flip = false;
        int rotate = 0;  // quarters, clockwise
        bool has_anchor = false;
        int anchor_x = 0, anchor_y = 0;
    };
    friend class SpecParser;

    std::string text_;
    const Preset* preset_ = nullptr;     // nullptr for a matrix
    std::vector<double> arguments_;      // of the preset, in its order
    std::vector<Kernel> matrix_;         // one, for matrix, row, column and file
    std::string matrix_name_;            // "matrix", "row", "column" or "file"
    Modifiers modifiers_;
};

}  // namespace vidconv
