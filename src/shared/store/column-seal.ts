import { StoreError } from '../errors/engine-error.js';
import { unseal } from '../seal.js';

/** Key and purpose of a sealed column. A sealed text opens only with the same purpose. */
export interface ColumnSeal {
  readonly key: Uint8Array;
  readonly purpose: string;
}

/** JSON never starts like this, so the prefix tells sealed texts from rows stored before a key was set. */
const SEALED = /^v\d+\./;

/** Whether the stored text is sealed. */
export function isSealed(text: string): boolean {
  return SEALED.test(text);
}

/** @throws StoreError `STORE_FAILED` */
export function openSealed(text: string, by: ColumnSeal): string {
  return unseal(text, by.key, by.purpose) ?? refuseSealed(by);
}

/** @throws StoreError `STORE_FAILED` */
export function refuseSealed({ purpose }: Pick<ColumnSeal, 'purpose'>, hasKey = true): never {
  const why = hasKey ? 'the key is wrong or the value was changed' : 'no key is set';
  throw new StoreError('STORE_FAILED', `Cannot open a sealed value of ${purpose}: ${why}.`);
}
