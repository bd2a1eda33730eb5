# Quarterdeck in a container. The journal lives in /data, tools work in /workspace: mount both, or they go with it.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
# The image brings Node 24 itself: the one from npm (190 MB) stays behind.
RUN npm run build && npm prune --omit=dev --ignore-scripts && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-slim
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap git ca-certificates \
  && rm -rf /var/lib/apt/lists/* && mkdir -p /data /workspace && chown node:node /data /workspace
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
ENV QUARTERDECK_HOME=/data NODE_ENV=production
VOLUME ["/data", "/workspace"]
EXPOSE 8730
# Hands its runs over before it ends; the stop timeout of compose.yaml leaves time for that.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8730/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js", "up", "--host", "0.0.0.0", "--workspace", "/workspace"]
