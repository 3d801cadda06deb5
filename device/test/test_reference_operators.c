/* test_reference_operators.c: device/common/descriptor.h: the rules of each operator, on both sides of their limits,
 * and the worked examples of the pages. */
#include "device/test/test_reference_setup.h"

static void test_gather(void)
{
    base(DML_OPERATOR_GATHER, LEVEL(6_4));
    attributes(4, 1, 0);
    rejects("Axis is 4", "Axis = D");
    attributes(UINT32_MAX, 1, 0);
    rejects("Axis", "a huge Axis");
    attributes(2, 5, 0);
    rejects("IndexDimensions is 5", "IndexDimensions above D");
    attributes(2, 0, 0);
    rejects("IndicesTensor.Sizes[3] is 5", "an index array instead of a scalar index");
    tensor(1, TYPE(UINT32), "1,1,1,1");
    rejects("OutputTensor.Sizes", "an output with too many sizes");
    tensor(2, TYPE(FLOAT32), "1,1,2,4");
    accepts("a scalar index");
    attributes(2, 2, 0);
    tensor(1, TYPE(UINT32), "1,1,5,6");
    tensor(2, TYPE(FLOAT32), "2,5,6,4");
    accepts("two index dimensions over a leading input size of 1");
    attributes(2, 1, 0);
    rejects("IndicesTensor.Sizes[2] is 5", "an ignored size that is not 1");
    tensor(0, TYPE(FLOAT32), "2,2,3,4");
    attributes(2, 2, 0);
    rejects("InputTensor.Sizes[0] is 2", "an output that cannot hold all dimensions");
    attributes(0, 4, 0);
    tensor(0, TYPE(FLOAT32), "9,1,1,1");
    tensor(1, TYPE(UINT32), "1,1,1,3");
    tensor(2, TYPE(FLOAT32), "3,1,1,1");
    accepts("dropped index dimensions of size 1");
    tensor(1, TYPE(UINT32), "1,1,2,3");
    tensor(2, TYPE(FLOAT32), "3,1,1,1");
    rejects("IndicesTensor.Sizes[2] is 2", "a dropped index dimension that is not 1");
    tensor(0, TYPE(FLOAT32), "7");
    tensor(1, TYPE(UINT32), "3");
    tensor(2, TYPE(FLOAT32), "3");
    attributes(0, 1, 0);
    accepts("IndexDimensions = D = 1");
    /* the page's example 3, as drawn and as corrected */
    tensor(0, TYPE(FLOAT32), "3,2");
    tensor(1, TYPE(UINT32), "1,2");
    tensor(2, TYPE(FLOAT32), "3,2");
    attributes(1, 2, 0);
    rejects("InputTensor.Sizes[0] is 3", "example 3, literally");
    attributes(1, 1, 0);
    accepts("example 3 with one index dimension");
}

static void test_elements(DML_OPERATOR_TYPE type)
{
    base(type, LEVEL(6_4));
    attributes(4, 0, 0);
    rejects("Axis is 4", "Axis = D");
    attributes(3, 0, 0);
    rejects("IndicesTensor.Sizes[2] is 5", "indices that differ from the input off the axis");
    base(type, LEVEL(6_4));
    s.boxes[2].sizes[2] = 4;
    rejects(field_name(type, 2), "a tensor with other sizes than the indices");
    base(type, LEVEL(6_4));
    tensor(2, TYPE(FLOAT16), "1,2,5,4");
    rejects("DataType is FLOAT16", "two data types");
    base(type, LEVEL(6_4));
    tensor(2, TYPE(FLOAT32), "2,5,4");
    rejects("DimensionCount is 3", "two dimension counts");
    base(type, LEVEL(6_4));
    tensor(1, TYPE(UINT32), "1,2,1,4");
    tensor(2, TYPE(FLOAT32), "1,2,1,4");
    accepts("fewer indices than the axis is long");
    if (scatters(type)) {
        base(type, LEVEL(6_4));
        tensor(3, TYPE(FLOAT32), "1,2,5,4");
        rejects("OutputTensor.Sizes are {1,2,5,4}; the other tensors call for {1,2,3,4}", "an output unlike the input");
    } else {
        memset(&s, 0, sizeof s);
        s.type = type;
        s.level = LEVEL(3_0);
        tensor(0, TYPE(FLOAT32), "3,3");
        tensor(1, TYPE(UINT32), "2,3");
        tensor(2, TYPE(UINT32), "2,3");
        rejects("OutputTensor.DataType is UINT32", "the page's example, literally");
        tensor(2, TYPE(FLOAT32), "2,3");
        accepts("the page's example with one data type");
        s.level = LEVEL(2_1);
        rejects("InputTensor.DimensionCount is 2", "the page's example at 2_1");
    }
}

static void test_nd(DML_OPERATOR_TYPE type)
{
    nd(type, "3,4,5,6,7", "1,1,1,2,3", "1,1,2,6,7", 5, 3, 0);
    accepts("the page's sizes");
    nd(type, "3,4,5,6,7", "1,1,1,2,3", "1,2,5,6,7", 5, 3, 0);
    rejects("{1,1,2,6,7}", "the page's formula, literally");
    nd(type, "2,2", "2,1", "2,2", 2, 2, 0);
    accepts("example 1");
    nd(type, "1,2,2,2", "1,1,2,2", "1,1,2,2", 3, 2, 0);
    accepts("example 2");
    nd(type, "1,2,2,2", "1,1,2,2", "1,2,2,2", 3, 2, 0);
    rejects("{1,1,2,2}", "example 2 by the formula, literally");

    for (UINT wrong = 0; wrong < 2; wrong++) {
        nd(type, "2,2", "2,1", "2,2", wrong ? 3 : 0, 2, 0);
        rejects("InputDimensionCount", "P outside 1 to D");
        nd(type, "2,2", "2,1", "2,2", 2, wrong ? 3 : 0, 0);
        rejects("IndicesDimensionCount", "Q outside 1 to D");
    }
    nd(type, "2,2,5", "1,2,1", "1,2,5", 2, 2, 0);
    rejects("InputTensor.Sizes[0] is 2", "an ignored input size that is not 1");
    nd(type, "1,2,5", "2,2,1", "1,2,5", 2, 2, 0);
    rejects("IndicesTensor.Sizes[0] is 2", "an ignored indices size that is not 1");
    nd(type, "1,4,5", "1,6,2", "1,1,6", 2, 2, 0);
    accepts("K = P");
    nd(type, "1,4,5", "1,6,3", "1,1,6", 2, 2, 0);
    rejects("tuples of 3", "K above P");
    nd(type, "4,5", "6,1", "6,5", 2, 2, 0);
    accepts("a shape of D dimensions");
    nd(type, "1,4,5", "2,6,1", "2,6,5", 2, 3, 0);
    accepts("P < D, a shape of D dimensions");
    nd(type, "3,4,5", "2,6,1", "6,4,5", 3, 3, 0);
    rejects("would need 4 dimensions", "a shape of D + 1 dimensions");
    nd(type, "7", "1", "1", 1, 1, 0);
    accepts("one dimension");
    nd(type, "7", "2", "1", 1, 1, 0);
    rejects("tuples of 2", "a tuple longer than the one dimension");
    nd(type, "2,2", "2,1", "2,3", 2, 2, 0);
    rejects(field_name(type, 2), "wrong sizes of the shaped tensor");
    nd(type, "2,2", "2,1", "2,2", 2, 2, 0);
    tensor(2, TYPE(INT32), "2,2");
    rejects("DataType is INT32", "two data types");
    nd(type, "2,2", "1,2,1", "2,2", 2, 2, 0);
    rejects("IndicesTensor.DimensionCount is 3", "two dimension counts");
}

static void test_nd1_and_scatter_nd(void)
{
    DML_OPERATOR_TYPE type = DML_OPERATOR_GATHER_ND1;

    nd(type, "2,3,4", "2,5,1", "2,5,4", 3, 3, 1);
    accepts("one batch dimension");
    nd(type, "2,3,4", "1,5,1", "1,5,4", 3, 3, 1);
    rejects("batch dimension 0", "batches of two sizes");
    nd(type, "2,3,4", "2,3,1", "1,2,3", 3, 3, 2);
    accepts("B = P - 1");
    nd(type, "2,3,4", "2,3,1", "1,2,3", 3, 3, 3);
    rejects("BatchDimensionCount is 3", "B = P");
    nd(type, "2,3,4", "1,2,1", "1,2,4", 3, 2, 2);
    rejects("BatchDimensionCount is 2", "B = Q");
    nd(type, "1,1,4", "1,2,1", "1,1,4", 1, 3, 1);
    rejects("BatchDimensionCount is 1", "B = P below Q");
    nd(type, "2,3,4", "2,5,2", "1,2,5", 3, 3, 1);
    accepts("K = P - B");
    nd(type, "2,3,4", "2,5,3", "1,2,5", 3, 3, 1);
    rejects("tuples of 3", "K above P - B");

    type = DML_OPERATOR_SCATTER_ND;
    nd(type, "1,8", "4,1", "1,4", 1, 2, 0);
    accepts("the page's example with two dimensions throughout");
    s.boxes[1].buffer.DataType = TYPE(FLOAT32);
    rejects("IndicesTensor.DataType is FLOAT32", "the page's float indices");
    nd(type, "8", "4,1", "4", 1, 2, 0);
    rejects("IndicesTensor.DimensionCount is 2", "the page's example, literally");
    nd(type, "1,8", "4,1", "1,4", 1, 2, 0);
    tensor(3, TYPE(FLOAT32), "8,1");
    rejects("OutputTensor.Sizes", "an output unlike the input");
    nd(type, "1,8", "4,1", "1,4", 1, 2, 0);
    tensor(3, TYPE(UINT32), "1,8");
    rejects("OutputTensor.DataType", "an output of another type");
}

static void test_nonzero(void)
{
    nonzero(LEVEL(3_0), "1,1,2,4", "1,1,1,1", "1,1,8,3");
    accepts("the page's example");
    nonzero(LEVEL(6_4), "1,1,2,4", "1,1,1,1", "1,1,8,1");
    rejects("from 2 to 4", "N below the effective rank");
    nonzero(LEVEL(6_4), "1,1,2,4", "1,1,1,1", "1,1,8,2");
    accepts("N = the effective rank");
    nonzero(LEVEL(6_4), "1,1,2,4", "1,1,1,1", "1,1,8,4");
    accepts("N = the input's dimensions");
    nonzero(LEVEL(6_4), "1,1,2,4", "1,1,1,1", "1,1,8,5");
    rejects("from 2 to 4", "N above the input's dimensions");
    nonzero(LEVEL(6_4), "1,2,1,3", "1,1,1,1", "1,1,6,2");
    rejects("from 3 to 4", "only leading ones do not count");
    nonzero(LEVEL(6_4), "1,1,1,1", "1,1,1,1", "1,1,1,1");
    accepts("effective rank 0 with N = 1");
    nonzero(LEVEL(6_4), "1,1,2,4", "1,1,1,1", "1,1,9,3");
    rejects("the input's 8 elements", "M too large");
    nonzero(LEVEL(6_4), "1,1,2,4", "1,1,1,1", "1,1,7,3");
    rejects("the input's 8 elements", "M too small");
    nonzero(LEVEL(6_4), "1,1,2,4", "1,1,1,1", "1,8,1,3");
    rejects("OutputCoordinatesTensor.Sizes[1] is 8", "M in the wrong place");
    nonzero(LEVEL(6_4), "1,1,2,4", "1,2,1,1", "1,1,8,3");
    rejects("OutputCountTensor.Sizes are {1,2,1,1}", "a count of two elements");

    nonzero(LEVEL(4_0), "2,4", "1", "1,1,8,2");
    accepts("three dimension counts at 4_0");
    nonzero(LEVEL(3_1), "1,1,1,2,4", "1,1,1,1", "1,1,1,8,2");
    rejects("OutputCountTensor.DimensionCount is 4", "two dimension counts at 3_1");
    nonzero(LEVEL(3_1), "1,1,1,2,4", "1,1,1,1,1", "1,1,1,8,2");
    accepts("five dimensions at 3_1");
    nonzero(LEVEL(3_1), "1,2,4", "1,1,1", "1,8,2");
    rejects("InputTensor.DimensionCount is 3", "three dimensions at 3_1");
    nonzero(LEVEL(3_1), "1,1,1,1,2,4", "1,1,1,1,1,1", "1,1,1,1,8,2");
    rejects("InputTensor.DimensionCount is 6", "six dimensions at 3_1");
    nonzero(LEVEL(6_4), "8", "1", "8");
    rejects("OutputCoordinatesTensor.DimensionCount is 1", "coordinates of one dimension");
    nonzero(LEVEL(6_4), "8", "1,1,1,1,1,1,1,1", "8,1");
    accepts("one dimension in, two out");
}

int main(void)
{
    test_gather();
    test_elements(DML_OPERATOR_GATHER_ELEMENTS);
    test_elements(DML_OPERATOR_SCATTER_ELEMENTS);
    test_nd(DML_OPERATOR_GATHER_ND);
    test_nd(DML_OPERATOR_GATHER_ND1);
    test_nd(DML_OPERATOR_SCATTER_ND);
    test_nd1_and_scatter_nd();
    test_nonzero();
    return tap_done();
}
