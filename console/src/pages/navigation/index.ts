export { NavigationPage } from "./NavigationPage";
