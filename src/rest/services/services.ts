import type { Clock } from '../../shared/clock.js';
import type { FeatureControl, License, RestStore } from '../store/tables.js';
import type { Oidc } from './oidc-provider.js';
import type {
  AccessListPort,
  BillingPort,
  NotificationPort,
  RestNotification,
  ZoneDirectory,
} from './ports.js';
import type { Seal } from './seal.js';

/** Settings of an instance that rules read. */
export interface RestSettings {
  /** License of organizations that are created without one. */
  readonly defaultLicense: License;
  readonly defaultProductName: string;
  readonly defaultFeatures: readonly FeatureControl[];
  /** Whether this is the public cloud; else it is a white-label instance, whose licenses name their `productManagement`. */
  readonly publicCloud: boolean;
  /** The one value `license.productManagement` may have. */
  readonly productManagement: string;
  /** How long the zones need to know a new organization. */
  readonly syncDelayMs: number;
  readonly invitationLifetimeMs: number;
}

/** A user whose email address may be verified. */
export interface EmailOwner {
  readonly id: number;
  readonly email: string;
}

/** Dependencies of the handlers. */
export interface RestServices {
  readonly store: RestStore;
  readonly clock: Clock;
  readonly billing: BillingPort;
  readonly notifications: NotificationPort;
  readonly accessLists: AccessListPort;
  readonly zones: ZoneDirectory;
  readonly seal: Seal;
  readonly oidc: Oidc;
  readonly settings: RestSettings;
  readonly isEmailVerified: (user: EmailOwner) => boolean | undefined | Promise<boolean | undefined>;
  /** An RFC 4122 version 4 text. */
  readonly uuid: () => string;
}

/** Sends a notification. The change is stored already, so a failure does not fail the request. */
export async function notify({ notifications }: RestServices, notification: RestNotification): Promise<void> {
  try {
    await notifications.notify(notification);
  } catch {
    // The port reports its own failures.
  }
}
