import type { Document } from '../document/reading/document.js';
import { SpecError } from '../errors/engine-error.js';

/** @throws SpecError (SPEC_INVALID) if the component has no communication */
export function requireCommunication(component: {
  readonly name: string;
  readonly communication: Document | undefined;
}): Document {
  if (component.communication !== undefined) return component.communication;
  throw new SpecError('SPEC_INVALID', `"${component.name}" has no communication.`);
}
