import type { PlainObject } from '../../shared/plain-object.js';
import {
  flag,
  integer,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  type SchemaMap,
  text,
} from '../../shared/schema/build.js';
import type { TeamRow } from '../store/tables.js';

/**
 * Members of the resource `/private-spaces`, where 64-bit numbers are texts. Source:
 * https://developers.make.com/api-documentation (pagination and sorting, filtering). [src]
 */
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

/** The private space as a member of a user. Source: https://developers.make.com/api-documentation (privateSpace fields). [seed] */
export const OWN_SPACE_SCHEMA: Schema<unknown> = named(
  'OwnPrivateSpace',
  object({
    id: integer(),
    name: text(),
    globalAgentsEnabled: flag(),
    type: oneOf(['personal']),
    operationsLimit: nullable(integer()),
    transferLimit: nullable(integer()),
    consumedOperations: nullable(integer()),
    consumedTransfer: nullable(integer()),
    isPaused: nullable(flag()),
    consumedCenticredits: nullable(integer()),
  }),
);

/** Here all numbers are numbers, also 64-bit ones. [seed] */
export function ownSpaceRecord(team: TeamRow): PlainObject {
  const { id, name, globalAgentsEnabled, operationsLimit, transferLimit, isPaused } = team;
  const { consumedOperations, consumedTransfer, consumedCenticredits } = team;
  return {
    id,
    name,
    globalAgentsEnabled,
    type: 'personal',
    operationsLimit,
    transferLimit,
    consumedOperations,
    consumedTransfer,
    isPaused,
    consumedCenticredits,
  };
}

/** A private space without the members of its owner's account. */
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
