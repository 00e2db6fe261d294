import { defineConfig } from 'vitest/config';

const DATABASE = ['./libs/testing/dist/global-setup.js'];
const DOCKER = './test/support/docker-setup.ts';

/** Tests on real parts share two cores with PostgreSQL and what they start; many at once only wait for each other. */
const real = {
  globalSetup: DATABASE,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['libs/*/src/**/*.spec.ts', 'apps/*/src/**/*.spec.ts', 'scripts/**/*.spec.ts'],
          testTimeout: 20_000,
        },
      },
      { test: { name: 'medium', include: ['test/medium/**/*.spec.ts'], ...real, globalSetup: [...DATABASE, DOCKER] } },
      { test: { name: 'security', include: ['test/security/**/*.spec.ts'], ...real } },
      { test: { name: 'chaos', include: ['test/chaos/**/*.spec.ts'], ...real, fileParallelism: false } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.spec.ts'], ...real, fileParallelism: false } },
    ],
  },
});
