#!/bin/bash
# The dashboard in Chromium, with made-up data: test_dashboard.py says what is tested. axe-core comes from npm.
#   test_dashboard.sh BROWSER EXTENT   as test_dashboard_firefox.sh and long/test_dashboard.sh have it
browser=${1:-chromium}
extent=${2:-most}
ASSAY=$(dirname "${ASSAY:-build/assay}")/few/build/assay # which plans in no time
export ASSAY
python=/usr/bin/python3 # Debian's, whose selenium it is
case $browser in
    chromium) needs=(chromium chromedriver "$python") ;;
    *) needs=(firefox-esr "$python") ;;
esac
for need in "${needs[@]}"; do
    command -v "$need" >/dev/null || { echo "1..0 # SKIP $need is not here"; exit 0; }
done
$python -c 'import selenium, jsonschema' 2>/dev/null || { echo "1..0 # SKIP python3-selenium or -jsonschema is not here"; exit 0; }
uplot=$(echo build/npm/uplot-*.tgz)
[ -e "$uplot" ] || { make -s build/generated/dashboard.h >/dev/null && uplot=$(echo build/npm/uplot-*.tgz); }
version=4.14.1
axe=build/npm/axe-core-$version.tgz
said=$(tools/npm build/npm "axe-core@$version" 2>&1) || { echo "# $said"; axe=; }
exec $python -B reports/test/test_dashboard.py "$browser" "$extent" "$uplot" "$axe"
