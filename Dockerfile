# api, worker and migrate: one build, one image each (docker-compose.yml names them as targets).

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund \
 && npm run -s build \
 && npm prune --omit=dev --no-audit --no-fund \
 && find libs apps -name src -type d -prune -exec rm -r {} + \
 && rm -rf node_modules/.cache

FROM node:24-bookworm-slim AS runtime
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/libs ./libs
COPY --from=build /app/apps ./apps
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/scripts ./scripts
ENTRYPOINT ["/app/scripts/container/entrypoint.sh"]

# Applies the migrations and ends.
FROM runtime AS migrate
USER node
CMD ["node", "scripts/migrate.mjs"]

FROM runtime AS api
RUN install -d -o node -g node -m 0700 /var/spool/hcp
USER node
ENV HOST=0.0.0.0 PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/api/dist/main.js"]

# Root, because it gives each run an unprivileged uid of its own and puts it into a control group. What it needs of the
# container beyond that is said in docker-compose.yml.
FROM runtime AS worker
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap util-linux ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -m 0755 /var/lib/hcp
ENV HCP_DATA_DIR=/var/lib/hcp
VOLUME /var/lib/hcp
CMD ["node", "apps/worker/dist/main.js"]
