// Parts of the page that only a hub has, loaded together: each further entry point would split the first script.

export { openHubSession, signOut } from './hub-session.ts'
export { HubSignIn } from './hub-sign-in.tsx'
export { HubRules } from './rules.tsx'
export { Search } from './search.tsx'
export { followSentDecisions } from './sent-decisions.ts'
export { Servers } from './servers.tsx'
