// Completions of the command line for shells, made from the table of options.
#pragma once

#include <string>

namespace vidconv {

std::string bash_completions();  // complete without the package bash-completion, and with it
std::string zsh_completions();
std::string fish_completions();

}  // namespace vidconv
