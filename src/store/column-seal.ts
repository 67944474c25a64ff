import { StoreError } from '../errors/engine-error.js';
import { unseal } from '../util/seal.js';

/** What a column is sealed with, and for: what is sealed opens in no other. */
export interface ColumnSeal {
  readonly key: Uint8Array;
  readonly purpose: string;
}

/** No JSON begins like that: what was kept before there was a key is told apart by it. */
const SEALED = /^v\d+\./;

/** Whether a column keeps a text sealed. */
export function isSealed(text: string): boolean {
  return SEALED.test(text);
}

/** @throws StoreError `STORE_FAILED` */
export function openSealed(text: string, by: ColumnSeal): string {
  return unseal(text, by.key, by.purpose) ?? refuseSealed(by);
}

/** @throws StoreError `STORE_FAILED` */
export function refuseSealed({ purpose }: Pick<ColumnSeal, 'purpose'>, isKeyGiven = true): never {
  const why = isKeyGiven ? 'the key is another one, or it was changed' : 'no key is given';
  throw new StoreError('STORE_FAILED', `What is sealed in ${purpose} cannot be opened: ${why}.`);
}
