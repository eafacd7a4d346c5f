// Numbers as text with a decimal point, independent of the host's locale.
#ifndef PERCALE_CORE_BASE_NUMBER_TEXT_H_
#define PERCALE_CORE_BASE_NUMBER_TEXT_H_

#include <string>

namespace percale {

// Formats like printf's "%.*g" with `digits` significant digits. A NaN of either sign is "nan".
std::string general_text(double value, int digits);
// Formats like printf's "%.*f" with `decimals` digits after the decimal point.
std::string fixed_text(double value, int decimals);

}  // namespace percale

#endif  // PERCALE_CORE_BASE_NUMBER_TEXT_H_
