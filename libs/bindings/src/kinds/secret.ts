import { credentialFields, type Pack } from '@hcp/core';
import { refuse, type BindingRefusal } from '../refusal.js';
import { fieldErrors, type Fields } from '../secret.js';
import type { Accepted, KindMint, MintRequest } from './kind.js';

/** A static secret (SPEC B2): a value for each field of the pack's `binding.env`, or of its API's way to sign in, kept as it was given. */
export function acceptSecret(pack: Pack, content: Fields): Accepted | BindingRefusal {
  const field_names = credentialFields(pack);
  if (field_names.length === 0)
    return refuse('conflict', 'the pack has no field for a secret: its binding.env names none, nor does its API');
  const errors = fieldErrors(content, field_names);
  if (errors.length > 0) return refuse('invalid_request', 'the fields are not right', errors);
  return { ok: true, field_names, content };
}

/** It is lent as it is. */
export function mintSecret({ content }: MintRequest): KindMint {
  return { ok: true, fields: content, secrets: Object.values(content) };
}
