#!/bin/sh
# deploy.sh local | stage VERSION | promote VERSION | hold-export | release-export
set -eu

SOAK_MINUTES=25        # how long a version runs on the stage before it may be promoted
CANARY_PERCENT=8       # of the calls go to a new version at first
HOLD_FILE=/var/lib/quayside/export.hold

case "${1:-}" in
local)
	docker compose -p quayside-dev up --wait
	;;
stage)
	echo "staging $2"
	orders apply "stage/$2" --wait 300s
	;;
promote)
	age=$(orders age "stage/$2" --minutes)
	if [ "$age" -lt "$SOAK_MINUTES" ]; then
		echo "version $2 has soaked for $age of $SOAK_MINUTES minutes" >&2
		exit 75
	fi
	orders shift --to "$2" --percent "$CANARY_PERCENT"
	orders watch --alert PlannerBehind --alert BoardStale --for 12m
	orders shift --to "$2" --percent 100
	;;
hold-export)
	touch "$HOLD_FILE"
	;;
release-export)
	rm -f "$HOLD_FILE"
	;;
*)
	sed -n 2p "$0" >&2
	exit 64
	;;
esac
