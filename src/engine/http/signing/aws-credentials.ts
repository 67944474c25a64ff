/**
 * The evaluated `aws` directive. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
export interface AwsCredentials {
  readonly key: string;
  readonly secret: string;
  readonly session?: string | undefined;
  readonly bucket?: string | undefined;
  /** Default: 2 (S3). */
  readonly sign_version?: string | number | undefined;
}
