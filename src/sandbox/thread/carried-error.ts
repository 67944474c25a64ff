import { functionError, type ImlError, limitError } from '../../errors/iml-error.js';
import type { Place } from '../../errors/place.js';
import { GuestError } from '../guest-error.js';

/** An ImlError on its way to another thread. */
export interface CarriedError {
  readonly isLimit: boolean;
  readonly message: string;
  /** The cause of one that an author's function threw. */
  readonly guest: { readonly message: string; readonly place: Place; readonly stack: string } | undefined;
}

export function carryError({ code, message, cause }: ImlError): CarriedError {
  const guest =
    cause instanceof GuestError
      ? { message: cause.message, place: cause.place, stack: cause.guestStack }
      : undefined;
  return { isLimit: code === 'IML_LIMIT', message, guest };
}

export function readCarriedError({ isLimit, message, guest }: CarriedError): ImlError {
  if (isLimit) return limitError(message);
  return functionError(message, guest && new GuestError(guest.message, guest.place, guest.stack));
}
