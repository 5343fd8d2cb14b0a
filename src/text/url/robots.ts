// Evaluates a robots.txt for one address.
import parser from 'robots-parser'

export interface RobotsQuery {
  /** Address of the robots.txt. */
  file: string
  text: string
  url: string
  /** The user agent's product name. */
  agent: string
}

export interface RobotsAnswer {
  allowed: boolean
  /** The deciding line, counted from 1; 0 if there is none. */
  line: number
}

/** The library's types wrongly place the function inside a module, which is the function itself. */
const robotsParser = parser as unknown as typeof parser.default

export function askRobots({ file, text, url, agent }: RobotsQuery): RobotsAnswer {
  const robots = robotsParser(file, text)
  return {
    allowed: robots.isDisallowed(url, agent) !== true,
    line: Math.max(0, robots.getMatchingLineNumber(url, agent))
  }
}
