// Completions of the command line for shells, generated from the table of options.
#pragma once

#include <string>

namespace vidconv {

std::string bash_completions();  // works with and without the package bash-completion
std::string zsh_completions();
std::string fish_completions();

}  // namespace vidconv
