#!/bin/bash
# The dashboard in Firefox: what browsers may do differently. long/test_dashboard.sh has the rest.
exec bash reports/test/test_dashboard.sh firefox core
