// @ts-check
import { hail } from './greet.js'

export const fox = '🦊'; hail(fox)
	hail(fox)
