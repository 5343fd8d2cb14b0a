// The settings of the extension.
import * as vscode from 'vscode'

/** Announcement of a new waiting call. */
export type Reveal = 'notification' | 'beside' | 'none'

const get = <T>(name: string, fallback: T): T => vscode.workspace.getConfiguration('toolgate').get<T>(name) ?? fallback

export const settings = {
  connect: () => get('connect', true),
  reveal: () => get<Reveal>('reveal', 'notification'),
  shareUnsavedText: () => get('shareUnsavedText', true),
  program: () => get('program', 'toolgate'),
  arguments: () => get<readonly string[]>('arguments', [])
}

/** Returns the environment in which the server is looked for: settings replace variables. */
export function getEnvironment(): Record<string, string | undefined> {
  const url = get('url', '')
  const tokenFile = get('tokenFile', '')
  return {
    ...process.env,
    ...(url !== '' && { TOOLGATE_URL: url }),
    ...(tokenFile !== '' && { TOOLGATE_TOKEN_FILE: tokenFile })
  }
}
