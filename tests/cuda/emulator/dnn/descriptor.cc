// Descriptors: their attributes, and tensors.
#include "tests/cuda/emulator/dnn/dnn.h"

namespace percale_emulator::dnn {

Numbers read_numbers(const DnnDescTag& desc, int name) { return read<int64_t>(desc, name, kDnnTypeInt64); }
const DnnDescTag* read_desc(const DnnDescTag& desc, int name, int type) {
  const auto found = read<DnnDesc>(desc, name, kDnnTypeDescriptor);
  return found.size() == 1 && found[0]->type == type && found[0]->final ? found[0] : nullptr;
}
int read_enum(const DnnDescTag& desc, int name, int type) {
  const auto found = read<int>(desc, name, type);
  return found.size() == 1 ? found[0] : -1;
}

Tensor tensor_of(const DnnDescTag& desc) {
  return {read_enum(desc, kDnnTensorType, kDnnTypeDataType),
          read_numbers(desc, kDnnTensorId).at(0),
          read_numbers(desc, kDnnTensorAlignment).at(0),
          read_numbers(desc, kDnnTensorDims),
          read_numbers(desc, kDnnTensorStrides),
          !desc.attributes.contains(kDnnTensorVirtual),
          desc.attributes.contains(kDnnTensorByValue)};
}
bool is_channels_last(const Tensor& t) { return t.strides[1] == 1 && t.count() > t.dims[1]; }

}  // namespace percale_emulator::dnn
