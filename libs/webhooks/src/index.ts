export { newSecret, signedHeaders, type Message } from './signing.js';
