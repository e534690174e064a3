interface ImportMetaEnv {
  readonly CONSOLE_VERSION: string;
}

/** Made by icon-marks.ts of this workspace: names are separated by spaces. */
declare module "virtual:icon-marks/*" {
  export const folder: string;
  export const coloured: string;
  export const inked: string;
}
