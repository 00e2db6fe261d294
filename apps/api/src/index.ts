export { createApp } from './platform/app.js';
export { readEnv, type Env } from './platform/env.js';
