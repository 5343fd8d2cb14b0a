// What a robots.txt says of one address.
import parser from 'robots-parser'

export interface RobotsQuery {
  /** Address of the robots.txt. */
  file: string
  text: string
  url: string
  /** The name that we go by. */
  agent: string
}

export interface RobotsAnswer {
  allowed: boolean
  /** The line that decides, counted from 1; 0 where none does. */
  line: number
}

/** Its types say that the function is inside a module that is the function. */
const robotsParser = parser as unknown as typeof parser.default

export function askRobots({ file, text, url, agent }: RobotsQuery): RobotsAnswer {
  const robots = robotsParser(file, text)
  return {
    allowed: robots.isDisallowed(url, agent) !== true,
    line: Math.max(0, robots.getMatchingLineNumber(url, agent))
  }
}
