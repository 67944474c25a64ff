import type { Clock } from '../../shared/clock.js';
import type { RestStore } from '../store/tables.js';
import type { Oidc } from './oidc-provider.js';
import type {
  AccessListPort,
  BillingPort,
  NotificationPort,
  RestNotification,
  ZoneDirectory,
} from './ports.js';
import type { Seal } from './seal.js';
import type { InstanceSettings } from './settings.js';

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
  readonly settings: InstanceSettings;
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
