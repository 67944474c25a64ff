import {
  dateTime,
  flag,
  freeForm,
  integer,
  list,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import type { ColumnChoice } from '../call/operation.js';

/** Source: https://developers.make.com/api-documentation (Organization) [seed]; members behind `privateSpaces` https://developers.make.com/api-documentation (organizations) [app]. */
export const ORGANIZATION_SCHEMA: Schema<unknown> = named(
  'Organization',
  object(
    {},
    {
      id: integer(),
      name: text(),
      createdAt: dateTime(),
      serviceName: text(),
      nextReset: dateTime(),
      lastReset: dateTime(),
      isPaused: flag(),
      countryId: integer(),
      timezoneId: integer(),
      deleted: flag(),
      license: freeForm(),
      zone: text(),
      teams: list(object({ id: integer(), name: text() })),
      productName: text(),
      ssoType: nullable(oneOf(['oauth2', 'saml2', 'none'])),
      scenarios: integer(),
      activeScenarios: integer(),
      tfaEnforced: flag(),
      userSessionTimeout: integer(),
      featureControls: list(object({ name: text(), enabled: flag() })),
      privateSpaces: list(
        object({ id: integer(), name: text(), isOwner: flag(), hasAdminVisibility: flag() }),
      ),
      regionId: integer(),
      externalId: nullable(text()),
      solutionPartnerLink: nullable(text()),
      sharedScenarioPartnerCode: nullable(text()),
      operations: text(),
      transfer: text(),
      operationsExt: text(),
      transferExt: text(),
      unusedOperations: text(),
      unusedTransfer: text(),
      centicreditsConsumed: text(),
      centicreditsExtra: text(),
      unusedCenticredits: text(),
      autoPurchasingActivated: flag(),
      autoPurchaseInProgress: flag(),
      features: freeForm(),
      activeApps: integer(),
    },
  ),
);

const ALL: readonly string[] = Object.keys(ORGANIZATION_SCHEMA['properties'] ?? {});

/** Source: https://developers.make.com/api-documentation (Organizations, rule 1). [seed] */
export const ORGANIZATION_COLUMNS: ColumnChoice = { all: ALL, default: ['id', 'name', 'timezoneId'] };
export const ALL_ORGANIZATION_COLUMNS: ColumnChoice = { all: ALL, default: ALL };

/** The complete organization, as the response to its creation and change. [seed] */
export const FULL_ORGANIZATION_SCHEMA: Schema<unknown> = {
  ...ORGANIZATION_SCHEMA,
  title: 'FullOrganization',
  required: ALL.filter((column) => column !== 'privateSpaces'),
};
