import { flag, integer, nullable, oneOf, type SchemaMap, text } from '../schema/build.js';
import type { PlainObject } from '../util/plain-object.js';
import type { TeamRow } from './tables.js';

/** Source: specification/000 (privateSpace fields) [seed]; 64-bit numbers as text reference/rest-api.md section 1.3 [src]. */
export const PRIVATE_SPACE_MEMBERS: SchemaMap = {
  id: integer(),
  name: text(),
  organizationId: integer(),
  globalAgentsEnabled: flag(),
  type: oneOf(['personal']),
  privateSpaceOwnerName: text(),
  privateSpaceOwnerEmail: text(),
  privateSpaceOwnerId: nullable(integer()),
  operationsLimit: nullable(integer()),
  transferLimit: { type: ['string', 'number', 'null'] },
  consumedOperations: nullable(integer()),
  consumedTransfer: nullable(text()),
  isPaused: nullable(flag()),
  consumedCenticredits: nullable(text()),
  operations: text(),
  transfer: text(),
  centicredits: text(),
  deleted: flag(),
  externalId: nullable(text()),
};

/** A private space without what its owner's account adds. */
export function privateSpaceRecord(team: TeamRow): PlainObject {
  return {
    id: team.id,
    name: team.name,
    organizationId: team.organizationId,
    globalAgentsEnabled: team.globalAgentsEnabled,
    type: 'personal',
    privateSpaceOwnerId: team.ownerId,
    operationsLimit: team.operationsLimit,
    transferLimit: team.transferLimit === null ? null : String(team.transferLimit),
    consumedOperations: team.consumedOperations,
    consumedTransfer: String(team.consumedTransfer),
    isPaused: team.isPaused,
    consumedCenticredits: String(team.consumedCenticredits),
  };
}
