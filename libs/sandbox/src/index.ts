export * from './port.js';
export { declaredHosts, redactEgress } from './egress/facts.js';
export type { EgressContact, EgressFacts, EgressRefused } from './egress/ledger.js';
export type { SelectOptions } from './options.js';
export * from './run-result.js';
export * from './select-driver.js';
export { OutputDecoder } from './output/text-decoder.js';
export { REDACTED } from './output/redact/redactor.js';
export { redactText } from './output/redact/redact-text.js';
