import { integer, named, nullable, object, type Schema, text } from '../../shared/schema/build.js';
import type { MembershipRow } from '../store/tables.js';

/** Source: https://developers.make.com/api-documentation (Invitation detail and accept-invitation records). [seed] */
export const ORGANIZATION_ROLE_SCHEMA: Schema<unknown> = named(
  'UserOrganizationRole',
  object({
    userId: integer(),
    organizationId: integer(),
    usersRoleId: integer(),
    invitation: nullable(text()),
  }),
);

export function organizationRoleRecord(row: MembershipRow): Omit<MembershipRow, 'id'> {
  const { userId, organizationId, usersRoleId, invitation } = row;
  return { userId, organizationId, usersRoleId, invitation };
}
