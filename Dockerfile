# The server as a sidecar: the workspace is mounted at /workspace, the tokens come as files.
# docs/docker.md shows how to run it, alone and with compose.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY openapi.yaml openapi-hub.yaml tsconfig.json ./
COPY scripts/build.ts scripts/bundle.ts scripts/
COPY scripts/reference scripts/reference
COPY src src
COPY web web
RUN node scripts/build.ts

# Confines commands by Landlock, since a container cannot make namespaces.
FROM node:24-bookworm-slim AS launcher
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev
WORKDIR /build
COPY native/confine native/confine
COPY scripts/build-launcher.ts scripts/launcher.ts scripts/
RUN node scripts/build-launcher.ts

FROM node:24-bookworm-slim AS modules
WORKDIR /modules
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bash ca-certificates git tini \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json ./
COPY bin bin
COPY --from=modules /modules/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=launcher /build/native/build native/build
# State (journal, discovery file) lives in a volume of its own, never in the workspace.
RUN ln -s /app/bin/toolgate.cjs /usr/local/bin/toolgate \
 && mkdir -p /workspace /state \
 && chown node:node /workspace /state \
 && chmod 0700 /state
# The server's own program may be executed, but not read, by the user that commands run as: so the kernel hides the server's
# memory, environment and descriptors from them. Commands get the other one.
RUN install -D -m 0711 /usr/local/bin/node /usr/local/lib/toolgate/node
USER node
ENV TOOLGATE_STATE_DIR=/state \
    TOOLGATE_RUN_DIR=/state/run \
    TOOLGATE_PORT=7700 \
    TOOLGATE_SANDBOX_LEVEL=container \
    TOOLGATE_TOKEN_FILE=/run/secrets/toolgate_token \
    TOOLGATE_CALL_TOKEN_FILE=/run/secrets/toolgate_call_token
VOLUME ["/state"]
WORKDIR /workspace
EXPOSE 7700
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7700/health').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# tini collects what commands leave behind; process 1 must.
ENTRYPOINT ["tini", "--", "/usr/local/lib/toolgate/node", "/app/bin/toolgate.cjs"]
# Beyond loopback only by a flag: that it listens to the container's network is to be seen here.
CMD ["serve", "--root", "/workspace", "--host", "0.0.0.0"]
