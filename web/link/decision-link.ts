// The link of a notification: it is in the fragment of the address, which never reaches a server or a log. Opening the page decides
// nothing; the page sends the link as the token of its requests.

/** The content of the link. The server checks it. */
export interface DecisionLink {
  token: string
  tool_call_id: string
  person: string
  channel: string
  expires_at: string
}

/** Returns the link in the address of this page; undefined if there is none, or it cannot be read. */
export function readDecisionLink(): DecisionLink | undefined {
  const token = /^#decide=(.+)$/.exec(location.hash)?.[1]
  const payload = /^tgl_([\w-]+)\.[\w-]+$/.exec(token ?? '')?.[1]
  if (token === undefined || payload === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), byte => byte.charCodeAt(0))
    return { ...(JSON.parse(new TextDecoder().decode(bytes)) as Omit<DecisionLink, 'token'>), token }
  } catch {
    return undefined
  }
}

/** Returns true if the address is that of a test message, which shows that the device can open links. */
export const isTestLink = (): boolean => location.hash === '#decide=test'

/** Returns true if the address has a link, which may be damaged. */
export const hasDecisionLink = (): boolean => location.hash.startsWith('#decide=')
