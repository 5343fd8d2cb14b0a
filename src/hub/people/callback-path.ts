/** Path that the provider sends browsers back to. Apart from the sign-in, so that a hub without a provider does not load its client. */
export const CALLBACK_PATH = '/sign-in/callback'
