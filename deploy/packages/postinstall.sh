#!/bin/sh
# After an installation or an upgrade. Debian says "configure" and the former version, if there was
# one; rpm says how many versions are installed. No service is started or restarted: the operator
# migrates first.
set -e

first=no
case "$1" in
configure) [ -n "$2" ] || first=yes ;;
1) first=yes ;;
esac

systemd-sysusers sluice.conf
if [ "$first" = yes ]; then
	# The files were unpacked before the group existed.
	chgrp sluice /etc/sluice /etc/sluice/config.yaml /etc/sluice/environment
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
