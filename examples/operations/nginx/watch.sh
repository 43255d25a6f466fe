#!/bin/sh
# Tells nginx which instances are ready, because it has no health checks of its own:
#
#   INSTANCES="10.0.0.1:3000 10.0.0.2:3000" SERVERS=/run/orders/servers.conf watch.sh nginx -s reload
#
# The command runs after each change. nginx then finishes the requests under way with the earlier list.

ready() {
  for instance in $INSTANCES; do
    if curl --fail --silent --max-time 2 --output /dev/null "http://$instance/readyz"; then
      echo "server $instance max_fails=0;"
    fi
  done
}

while true; do
  servers=$(ready)
  # if none is ready, the list stays as it was, because some of them may still answer
  if [ -n "$servers" ] && [ "$servers" != "$(cat "$SERVERS")" ]; then
    echo "$servers" >"$SERVERS"
    "$@"
  fi
  sleep 1
done
