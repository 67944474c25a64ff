import {
  ANY_LIST,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  wholeNumber,
} from '../shared/errors/check-options.js';
import type { RestServices } from './services/services.js';

/** An app of an instance, with the organizations that have installed it. */
export interface RegisteredApp {
  readonly name: string;
  readonly label: string;
  readonly version: number;
  /** Default 0. */
  readonly premiumTier?: number | undefined;
  /** Ids of organizations. Default: none. */
  readonly installedIn?: readonly number[] | undefined;
}

const SHAPES: OptionShapes<RegisteredApp> = {
  name: ANY_TEXT,
  label: ANY_TEXT,
  version: wholeNumber(0),
  premiumTier: wholeNumber(0),
  installedIn: ANY_LIST,
};

/**
 * Registers apps of an instance, so that `GET /admin/apps` and `GET /organizations/{organizationId}/apps` list them.
 * Updates an app that is registered already. The owner of an organization counts as the user who installed it.
 */
export async function registerApps(
  { store, clock }: Pick<RestServices, 'store' | 'clock'>,
  apps: readonly RegisteredApp[],
): Promise<void> {
  for (const app of apps) {
    checkOptions(app, SHAPES, 'An app of registerApps', ['name', 'label', 'version']);
  }
  await store.transaction(async (writer) => {
    for (const { name, label, version, premiumTier = 0, installedIn = [] } of apps) {
      const row = { name, label, version, premiumTier };
      if ((await writer.update('apps', { name }, row)) === 0) await writer.insert('apps', row);
      for (const organizationId of installedIn) {
        const installation = { organizationId, appName: name };
        const changed = await writer.update('installedApps', installation, { appVersion: version });
        if (changed > 0) continue;
        const [first] = await writer.find('memberships', {
          where: { organizationId },
          sortBy: 'id',
          limit: 1,
        });
        if (first === undefined) continue;
        await writer.insert('installedApps', {
          ...installation,
          appVersion: version,
          installedAt: clock.now(),
          installedBy: first.userId,
        });
      }
    }
  });
}
