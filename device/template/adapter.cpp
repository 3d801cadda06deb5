// adapter.cpp: a small but complete device for assay in C++: ELEMENT_WISE_ADD of FLOAT32 and INT32 on any strides;
// everything else is unsupported. device.h is the contract. Replace validate() and run() by calls of your library.
#include "device.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

namespace {

// An answer other than S_OK; the functions of device.h catch it.
struct refusal {
    HRESULT status;
    const char *text;
};

struct tensor {
    DML_TENSOR_DATA_TYPE type;
    std::uint32_t rank;
    std::array<std::uint32_t, 8> sizes, strides;
};

struct addition {
    tensor a, b, sum;
};

// ---- validating descriptions

// Returns 0 for a type that ELEMENT_WISE_ADD does not have.
std::uint32_t bytes_of(DML_TENSOR_DATA_TYPE type)
{
    switch (type) {
    case DML_TENSOR_DATA_TYPE_UINT8:
    case DML_TENSOR_DATA_TYPE_INT8:
        return 1;
    case DML_TENSOR_DATA_TYPE_FLOAT16:
    case DML_TENSOR_DATA_TYPE_UINT16:
    case DML_TENSOR_DATA_TYPE_INT16:
        return 2;
    case DML_TENSOR_DATA_TYPE_FLOAT32:
    case DML_TENSOR_DATA_TYPE_UINT32:
    case DML_TENSOR_DATA_TYPE_INT32:
        return 4;
    case DML_TENSOR_DATA_TYPE_UINT64:
    case DML_TENSOR_DATA_TYPE_INT64:
        return 8;
    default:
        return 0;
    }
}

bool is_supported(DML_TENSOR_DATA_TYPE type)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 || type == DML_TENSOR_DATA_TYPE_INT32;
}

void expect(bool holds, const char *text)
{
    if (!holds)
        throw refusal{E_INVALIDARG, text};
}

void read_layout(const DML_BUFFER_TENSOR_DESC &buffer, bool is_output, tensor &out)
{
    std::uint64_t packed = 1, elements = 1, extent = 1;
    for (std::uint32_t i = out.rank; i-- > 0;) {
        std::uint32_t size = out.sizes[i] = buffer.Sizes[i];
        expect(size > 0, "a size is 0");
        elements *= size;
        std::uint32_t stride = out.strides[i] = buffer.Strides ? buffer.Strides[i] : static_cast<std::uint32_t>(packed);
        expect(!is_output || size == 1 || stride > 0, "elements of the output overlap");
        packed *= size;
        extent += (size - 1ull) * stride;
        expect(elements <= UINT32_MAX && extent <= UINT32_MAX, "a tensor has more than 2^32-1 elements");
    }
    expect(buffer.TotalTensorSizeInBytes >= ((extent * bytes_of(out.type) + 3) & ~3ull),
           "TotalTensorSizeInBytes is less than sizes and strides imply");
}

tensor read_tensor(const DML_TENSOR_DESC *desc, bool is_output)
{
    expect(desc && desc->Type == DML_TENSOR_TYPE_BUFFER && desc->Desc, "a tensor is missing or not a buffer");
    const auto &buffer = *static_cast<const DML_BUFFER_TENSOR_DESC *>(desc->Desc);
    tensor out{buffer.DataType, buffer.DimensionCount, {}, {}};
    expect(buffer.Sizes, "a tensor has no Sizes");
    expect(out.rank >= 1 && out.rank <= 8, "DimensionCount must be from 1 to 8");
    expect(buffer.Flags == DML_TENSOR_FLAG_NONE || (!is_output && buffer.Flags == DML_TENSOR_FLAG_OWNED_BY_DML),
           "Flags has a bit that this tensor must not have");
    const std::uint32_t bytes = bytes_of(out.type), alignment = buffer.GuaranteedBaseOffsetAlignment;
    expect(bytes > 0, "ELEMENT_WISE_ADD has no such DataType");
    expect(alignment == 0 || ((alignment & (alignment - 1)) == 0 && alignment >= bytes),
           "GuaranteedBaseOffsetAlignment must be a power of two, of the element's size or more");
    read_layout(buffer, is_output, out);
    return out;
}

addition validate(const DML_ELEMENT_WISE_ADD_OPERATOR_DESC *desc)
{
    expect(desc, "the operator has no Desc");
    addition out{read_tensor(desc->ATensor, false), read_tensor(desc->BTensor, false),
                 read_tensor(desc->OutputTensor, true)};
    for (const tensor *other : {&out.b, &out.sum})
        expect(other->rank == out.a.rank && other->type == out.a.type && other->sizes == out.a.sizes,
               "all tensors must have the same DataType, DimensionCount and Sizes");
    if (!is_supported(out.a.type))
        throw refusal{DXGI_ERROR_UNSUPPORTED, "only FLOAT32 and INT32 are implemented"};
    return out;
}

// ---- running

template <typename T> void add(const addition &op, const T *a, const T *b, T *sum)
{
    std::array<std::uint32_t, 8> at{};
    const std::uint32_t rank = op.sum.rank;
    auto offset = [&](const tensor &t) {
        std::uint64_t element = 0;
        for (std::uint32_t i = 0; i < rank; i++)
            element += std::uint64_t{at[i]} * t.strides[i];
        return element;
    };
    for (std::uint32_t i = 0; i < rank;) {
        sum[offset(op.sum)] = a[offset(op.a)] + b[offset(op.b)];
        for (i = 0; i < rank && ++at[rank - 1 - i] == op.sum.sizes[rank - 1 - i]; i++)
            at[rank - 1 - i] = 0;
    }
}

template <typename T> T *address(const assay_binding &binding)
{
    return reinterpret_cast<T *>(static_cast<char *>(binding.base) + binding.offset);
}

template <typename T> void run(const addition &op, const assay_dispatch_item &item)
{
    add<T>(op, address<T>(item.inputs[0]), address<T>(item.inputs[1]), address<T>(item.outputs[0]));
}

} // namespace

// ---- the functions of device.h. No exception may leave them.

struct assay_device {
    std::string message; // sentence about the last call that failed
};

struct assay_operator {
    addition op;
};

struct assay_compiled { // a device with kernels would keep a kernel here
    addition op;
};

namespace {

HRESULT create_device(const assay_device_config *config, assay_device **out, char *message, std::size_t message_size)
{
    *out = nullptr;
    if (*config->arguments) {
        std::snprintf(message, message_size, "this adapter has no options");
        return E_INVALIDARG;
    }
    *out = new (std::nothrow) assay_device;
    return *out ? S_OK : E_OUTOFMEMORY;
}

void destroy_device(assay_device *device)
{
    delete device;
}

HRESULT describe(assay_device *, assay_device_info *info)
{
    info->feature_level = static_cast<DML_FEATURE_LEVEL>(0); // no level is promised: unsupported is not a failure
    std::strcpy(info->name, "adapter");
    std::strcpy(info->version, "0.1");
    info->max_batch = 64;
    return S_OK;
}

BOOL supports_data_type(assay_device *, DML_TENSOR_DATA_TYPE type)
{
    return is_supported(type);
}

BOOL supports_operator(assay_device *, DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_ELEMENT_WISE_ADD;
}

HRESULT create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    *out = nullptr;
    device->message.clear();
    try {
        if (desc->Type != DML_OPERATOR_ELEMENT_WISE_ADD)
            throw refusal{DXGI_ERROR_UNSUPPORTED, "only ELEMENT_WISE_ADD is implemented"};
        *out = new assay_operator{validate(static_cast<const DML_ELEMENT_WISE_ADD_OPERATOR_DESC *>(desc->Desc))};
        return S_OK;
    } catch (const refusal &refused) {
        device->message = refused.text;
        return refused.status;
    } catch (const std::bad_alloc &) {
        return E_OUTOFMEMORY;
    }
}

void destroy_operator(assay_device *, assay_operator *op)
{
    delete op;
}

HRESULT compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS, assay_compiled **out)
{
    device->message.clear();
    *out = new (std::nothrow) assay_compiled{op->op};
    return *out ? S_OK : E_OUTOFMEMORY;
}

void destroy_compiled(assay_device *, assay_compiled *compiled)
{
    delete compiled;
}

HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, std::uint32_t count,
                 assay_dispatch_result *out)
{
    device->message.clear();
    for (std::uint32_t i = 0; i < count; i++) {
        const addition &op = items[i].compiled->op;
        if (op.a.type == DML_TENSOR_DATA_TYPE_FLOAT32)
            run<float>(op, items[i]);
        else
            run<std::uint32_t>(op, items[i]); // wraps, as INT32 must
        out[i] = {};
        out[i].status = S_OK;
    }
    return S_OK;
}

const char *message(assay_device *device)
{
    return device->message.c_str();
}

assay_device_api make_api()
{
    assay_device_api api{};
    api.abi = ASSAY_DEVICE_ABI;
    api.size = sizeof api;
    api.create_device = create_device;
    api.destroy_device = destroy_device;
    api.describe = describe;
    api.supports_data_type = supports_data_type;
    api.supports_operator = supports_operator;
    api.create_operator = create_operator;
    api.destroy_operator = destroy_operator;
    api.compile_operator = compile_operator;
    api.destroy_compiled = destroy_compiled;
    api.dispatch = dispatch;
    api.message = message;
    return api;
}

} // namespace

const assay_device_api *assay_device_entry(std::uint32_t abi)
{
    static const assay_device_api api = make_api();
    return abi == ASSAY_DEVICE_ABI ? &api : nullptr;
}
