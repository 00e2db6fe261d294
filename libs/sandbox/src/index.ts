export * from './port.js';
export * from './select-driver.js';
