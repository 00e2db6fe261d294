/** Version of the product that this build is of. */
declare const __HCP_VERSION__: string;
