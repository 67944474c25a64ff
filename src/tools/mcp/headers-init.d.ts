/** A global type of the SDK that Node 20 lacks. */
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
