// @ts-check
import { greet } from './greet.js'

export const fox = '🦊'; greet(fox)
	greet(fox)
