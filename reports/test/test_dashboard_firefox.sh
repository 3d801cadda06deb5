#!/bin/bash
# The dashboard in Firefox.
exec bash reports/test/test_dashboard.sh firefox
