#!/bin/bash
# The examples of all operators as files of cases, as C and as folders for DxDispatch. test_export.sh has those of some.
exec bash harness/test/test_export.sh all
